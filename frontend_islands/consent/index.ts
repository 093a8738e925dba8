/**
 * On every page of a shop that uses services of other companies. They are described by
 *
 *     <template id="consent" data-version data-offered="analytics marketing" data-stored-analytics="_ga _ga_*"
 *               data-analytics="G-…" data-marketing="…" data-title data-event>banner and dialog</template>
 *
 * where the ids stand only in pages that may be measured. Who has not answered is shown the banner, who agreed gets
 * what they agreed to, and who refused gets nothing: neither a file nor a request.
 */
import { type Answers, hideBanner, openDialog, showBanner } from "./banner";
import { type Category, type Choice, decide, isInForce, KEY, OPTIONAL, readChoice, record } from "./choice";
import { forget } from "./stored";

const page = document.querySelector<HTMLTemplateElement>("template#consent");
if (page) start(page);

function start(page: HTMLTemplateElement): void {
  const { version = "", offered = "" } = page.dataset;
  const categories = offered.split(" ") as Category[];
  const current = () => {
    const choice = readChoice();
    return isInForce(choice, version) ? choice : undefined;
  };
  const update = () => apply(page, categories, current());
  const answers: Answers = {
    current,
    give: (test) => {
      decide(test, version, categories);
      update();
    },
  };

  const choice = current();
  if (!choice) showBanner(page, answers);
  else if (!choice.isRecorded) void record(choice, categories);
  update();
  // Answered in another tab, or on another page while this one was in the browser's memory.
  const updateFromElsewhere = () => {
    if (current()) hideBanner();
    update();
  };
  addEventListener("storage", ({ key }) => key === KEY && updateFromElsewhere());
  addEventListener("pageshow", ({ persisted }) => persisted && updateFromElsewhere());
  document.addEventListener("click", (event) => {
    if (!(event.target as Element).closest("[data-consent]")) return;
    event.preventDefault();
    openDialog(page, answers);
  });
}

/** Loads what is allowed; silences the rest, and deletes what it stored, also for a shop that used it before. */
function apply(page: HTMLTemplateElement, categories: Category[], choice: Choice | undefined): void {
  const allowed = categories.filter((name) => choice?.[name]);
  if (page.dataset.title !== undefined && (allowed.length > 0 || "measured" in page.dataset)) {
    page.dataset.measured = "";
    void import("./measure").then(({ measure }) => measure(page, allowed));
  }
  for (const name of OPTIONAL) {
    if (!allowed.includes(name)) forget(page.getAttribute(`data-stored-${name}`) ?? "");
  }
}
