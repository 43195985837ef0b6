export function text(value) {
  return { type: "text", text: value };
}
