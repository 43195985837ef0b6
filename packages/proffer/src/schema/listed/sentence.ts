const ENDS = /[.!?:;)\]"”]$/;

/** Adds a remark to a description: after a comma, or as a sentence of its own if the description is one. */
export function addSentence(description: string | undefined, remark: string): string {
  const text = description?.trimEnd() ?? "";
  if (text === "") return remark;
  if (text.includes("\n")) return `${text}\n${capitalized(remark)}.`;
  return ENDS.test(text) ? `${text} ${capitalized(remark)}.` : `${text}, ${remark}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
