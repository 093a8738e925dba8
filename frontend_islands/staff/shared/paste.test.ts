import { fireEvent } from "@testing-library/react";
import { expect, test } from "vitest";
import { paragraphsOf, pasteParagraphs } from "./paste";

test("a document's lines are paragraphs; a page has empty lines between them, and other text is left alone", () => {
  expect(paragraphsOf("<P>a</P>", "a \n\tb\n")).toBe("a\n\n\tb");
  expect(paragraphsOf("<p>un mot</p>", " mot ")).toBe("");
  expect([paragraphsOf("<p>a</p>", "a\n\nb"), paragraphsOf("<div>a</div>", "a\nb")]).toEqual(["", ""]);
});

test("fields of Markdown take a document's paragraphs, any other field what the browser pastes", () => {
  document.body.innerHTML = "<textarea data-markdown>!</textarea><textarea></textarea>";
  pasteParagraphs();
  const getData = (type: string) => (type === "text/html" ? "<p>Un</p><p>Deux</p>" : "Un\r\nDeux");
  const fields = [...document.querySelectorAll("textarea")];
  for (const field of fields) field.setSelectionRange(0, 0);
  const isLeft = fields.map((field) => fireEvent.paste(field, { clipboardData: { getData } }));
  expect(isLeft).toEqual([false, true]);
  expect(fields.map(({ value }) => value)).toEqual(["Un\n\nDeux!", ""]);
});
