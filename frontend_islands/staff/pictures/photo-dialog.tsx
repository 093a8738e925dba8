import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from "react";
import ReactCrop, { type PercentCrop } from "react-image-crop";
import { STAFF_LIMITS } from "@/api/limits";
import type { StaffGallery, StaffPhoto } from "@/api/types";
import { ApiProblem } from "@/lib/api";
import { toast } from "@/lib/toast";
import { Dialog } from "../shared/dialog";
import { same, useFieldDraft, useLeaveWarning } from "../shared/drafts";
import { ProblemText } from "../shared/problem";
import { translate } from "../shared/translate";
import { TRANSLATIONS } from "../shared/translations";
import { changePhoto } from "./calls";
import words from "./words.json";

const t = translate(words);
const TEXTS = ["alt", ...TRANSLATIONS.map((code) => `alt_${code}` as const)] as const;
const LABELS = { alt: "dialog.fr", alt_en: "dialog.en", alt_es: "dialog.es", alt_de: "dialog.de" } as const;
const FIELDS = [...TEXTS, "finish", "variation_id", "crop", "focus"] as const;
const MIDDLE = { x: 50, y: 50 };

type Fields = Pick<StaffPhoto, (typeof FIELDS)[number]>;
const fieldsOf = (photo: StaffPhoto) =>
  Object.fromEntries(FIELDS.map((name) => [name, photo[name]])) as unknown as Fields;
const differing = (fields: Fields, from: Fields) =>
  Object.fromEntries(
    FIELDS.filter((name) => !same(fields[name], from[name])).map((name) => [name, fields[name]]),
  ) as Partial<Fields>;

interface PhotoDialogProps {
  product: number;
  photo: StaffPhoto;
  number: number;
  formats: StaffGallery["formats"];
  offersFinishes: boolean;
  onChange: (photo: StaffPhoto) => void;
  onClose: () => void;
}

/** What a photo shows and how it is cut; nothing is written before it is saved, and nothing typed is lost. */
export function PhotoDialog({ product, photo, number, formats, offersFinishes, ...on }: PhotoDialogProps) {
  const { kept, keep } = useFieldDraft<Fields>(`photo-${photo.id}`);
  const [fields, setFields] = useState<Fields>({ ...fieldsOf(photo), ...kept?.fields });
  const opened = useRef(fields);
  const [message, setMessage] = useState<ReactNode>(
    kept ? t(kept.version === photo.version ? "dialog.draft" : "dialog.conflict") : "",
  );
  const [isSaving, setSaving] = useState(false);
  const latest = useRef(fields);
  latest.current = fields;
  const changed = differing(fields, fieldsOf(photo));
  const isChanged = Object.keys(changed).length > 0;
  useLeaveWarning(isChanged);
  const draft = JSON.stringify(changed);
  const { version } = photo;
  useEffect(() => {
    // What was taken over says which photo it was typed over until it is changed.
    if (draft === "{}" || fields !== opened.current) keep(JSON.parse(draft), version);
  }, [draft, fields, keep, version]);

  const set = (more: Partial<Fields>) => setFields((all) => ({ ...all, ...more }));
  const save = async () => {
    setSaving(true);
    setMessage("");
    try {
      const saved = await changePhoto(product, photo.id, { ...changed, version: photo.version });
      const since = differing(latest.current, fields);
      keep(since, saved.version);
      on.onChange(saved);
      setFields({ ...fieldsOf(saved), ...since });
      toast({ kind: "success", title: t("dialog.saved") });
      // A new crop is followed by the choice of the point, what was typed since by saving it; anything else is done.
      if (!("crop" in changed) && Object.keys(since).length === 0) on.onClose();
    } catch (error) {
      if (error instanceof ApiProblem && error.code === "conflict") {
        const current = error.body.current as StaffPhoto;
        on.onChange(current);
        // What nobody typed here is theirs: saved again, it would take their words back.
        setFields({ ...fieldsOf(current), ...changed, ...differing(latest.current, fields) });
        setMessage(t("dialog.conflict"));
      } else
        setMessage(
          <>
            {t("dialog.failed")} : <ProblemText error={error} />
          </>,
        );
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      title={t("dialog.title", { number })}
      isBusy={isSaving}
      onClose={on.onClose}
      actions={
        <>
          <button className="button" type="button" onClick={on.onClose} disabled={isSaving}>
            {t("dialog.cancel")}
          </button>
          <button
            className="button button--primary"
            type="button"
            aria-busy={isSaving}
            disabled={isSaving || !isChanged}
            onClick={() => void save()}
          >
            {t("dialog.save")}
          </button>
        </>
      }
    >
      {message && (
        <p className="alert alert--warning" role="alert">
          {message}
        </p>
      )}
      <CropPart photo={photo} crop={fields.crop} onChange={(crop) => set({ crop, focus: null })} />
      {"crop" in changed ? (
        <p className="muted">{t("dialog.focusAfterCrop")}</p>
      ) : (
        <FocusPart photo={photo} focus={fields.focus} onChange={(focus) => set({ focus })} />
      )}
      <fieldset className="photo-part">
        <legend>{t("dialog.texts")}</legend>
        <p className="muted">{t("dialog.textsHint")}</p>
        {TEXTS.map((name) => (
          <label className="field" key={name}>
            <span className="field__label">{t(LABELS[name])}</span>
            <input
              className="input"
              maxLength={STAFF_LIMITS.PatchedPictureChangeRequest[name]}
              value={fields[name]}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            />
          </label>
        ))}
      </fieldset>
      {(offersFinishes || formats.length > 0) && (
        <fieldset className="photo-part photo-part--two">
          <legend>{t("dialog.shows")}</legend>
          {offersFinishes && (
            <Choice
              label={t("dialog.finish")}
              value={fields.finish}
              onChange={(finish) => set({ finish: finish as Fields["finish"] })}
            >
              <option value="painted">{t("dialog.painted")}</option>
              <option value="unpainted">{t("dialog.unpainted")}</option>
            </Choice>
          )}
          {formats.length > 0 && (
            <Choice
              label={t("dialog.format")}
              value={String(fields.variation_id ?? "")}
              onChange={(id) => set({ variation_id: id ? Number(id) : null })}
            >
              {formats.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Choice>
          )}
        </fieldset>
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}

function Choice({ label, value, onChange, children }: ChoiceProps) {
  return (
    <label className="field">
      <span className="field__label">{label}</span>
      <select
        className="select"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">{t("all")}</option>
        {children}
      </select>
    </label>
  );
}

interface CropPartProps {
  photo: StaffPhoto;
  crop: StaffPhoto["crop"];
  onChange: (crop: StaffPhoto["crop"]) => void;
}

function CropPart({ photo, crop, onChange }: CropPartProps) {
  const [isSquare, setSquare] = useState(false);
  const { width, height, url } = photo.whole;
  const makeSquare = () => {
    const side = Math.min(width, height);
    const share = { width: (100 * side) / width, height: (100 * side) / height };
    setSquare(true);
    onChange({ x: (100 - share.width) / 2, y: (100 - share.height) / 2, ...share });
  };
  const keep = (drawn: PercentCrop) => {
    if (drawn.width < 1 || drawn.height < 1) return;
    const { unit: _unit, ...part } = drawn;
    onChange(part);
  };
  return (
    <fieldset className="photo-part">
      <legend>{t("dialog.crop")}</legend>
      <p className="muted">{t("dialog.cropHint")}</p>
      <div className="staff-segments">
        <button
          type="button"
          aria-pressed={!crop}
          onClick={() => {
            setSquare(false);
            onChange(null);
          }}
        >
          {t("dialog.whole")}
        </button>
        <button type="button" aria-pressed={Boolean(crop) && isSquare} onClick={makeSquare}>
          {t("dialog.square")}
        </button>
        <button
          type="button"
          aria-pressed={Boolean(crop) && !isSquare}
          onClick={() => {
            setSquare(false);
            if (!crop) onChange({ x: 5, y: 5, width: 90, height: 90 });
          }}
        >
          {t("dialog.free")}
        </button>
      </div>
      <ReactCrop
        {...(crop && { crop: { unit: "%", ...crop } })}
        {...(isSquare && { aspect: 1 })}
        keepSelection
        ruleOfThirds
        ariaLabels={{
          cropArea: t("cropParts.cropArea"),
          nwDragHandle: t("cropParts.nw"),
          nDragHandle: t("cropParts.n"),
          neDragHandle: t("cropParts.ne"),
          eDragHandle: t("cropParts.e"),
          seDragHandle: t("cropParts.se"),
          sDragHandle: t("cropParts.s"),
          swDragHandle: t("cropParts.sw"),
          wDragHandle: t("cropParts.w"),
        }}
        onChange={(_pixels, percent) => keep(percent)}
      >
        <img className="photo-part__picture" src={url} alt={photo.alt} width={width} height={height} />
      </ReactCrop>
    </fieldset>
  );
}

interface FocusPartProps {
  photo: StaffPhoto;
  focus: StaffPhoto["focus"];
  onChange: (focus: StaffPhoto["focus"]) => void;
}

function FocusPart({ photo, focus, onChange }: FocusPartProps) {
  const point = focus ?? MIDDLE;
  const choose = (event: MouseEvent<HTMLImageElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (offset: number, size: number) =>
      Math.max(0, Math.min(100, Math.round((100 * offset) / size)));
    onChange({
      x: share(event.clientX - box.left, box.width),
      y: share(event.clientY - box.top, box.height),
    });
  };
  const range = (axis: "x" | "y", label: string) => (
    <label className="field">
      <span className="field__label">{label}</span>
      <input
        className="photo-part__range"
        type="range"
        min={0}
        max={100}
        step={5}
        value={point[axis]}
        onChange={({ currentTarget }) => onChange({ ...point, [axis]: Number(currentTarget.value) })}
      />
    </label>
  );
  return (
    <fieldset className="photo-part">
      <legend>{t("dialog.focus")}</legend>
      <p className="muted">{t("dialog.focusHint")}</p>
      <div className="photo-part__focus">
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the two sliders do the same by keys */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
        <img className="photo-part__point" src={photo.url} alt="" onClick={choose} />
        <img className={`photo-part__preview ${focusClass(point)}`} src={photo.url} alt="" />
      </div>
      {range("x", t("dialog.across"))}
      {range("y", t("dialog.down"))}
      <button className="button button--small" type="button" disabled={!focus} onClick={() => onChange(null)}>
        {t("dialog.middle")}
      </button>
    </fieldset>
  );
}

/** As the shop's pages write it: in steps of a quarter. */
function focusClass({ x, y }: { x: number; y: number }): string {
  const step = (percent: number) => Math.min(4, Math.floor((percent + 12) / 25));
  return `focus-x${step(x)} focus-y${step(y)}`;
}
