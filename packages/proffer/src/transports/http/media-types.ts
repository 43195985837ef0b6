/** Whether a Content-Type is JSON in UTF-8. A browser sends that type across origins only after a preflight. */
export function isJsonType(value: string): boolean {
  const [type, ...parameters] = value.split(";");
  if (type?.trim().toLowerCase() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name, setting] = parameter.split("=");
    if (name?.trim().toLowerCase() !== "charset") return !parameter.includes(",");
    return /^\s*"?utf-?8"?\s*$/i.test(setting ?? "");
  });
}

/** Whether an Accept allows both forms of a response; which one it will be is not known when the request arrives. */
export function acceptsBoth(accept: string): boolean {
  return accepts(accept, "application/json") && accepts(accept, "text/event-stream");
}

/** Whether an Accept allows the type; the most specific matching range decides (RFC 9110, section 12.5.1). */
export function accepts(accept: string, type: string): boolean {
  const ranges = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  let best = ranges.length;
  let allowed = false;
  for (const item of accept.toLowerCase().split(",")) {
    const [range = "", ...parameters] = item.split(";");
    const rank = ranges.indexOf(range.trim());
    if (rank < 0 || rank >= best) continue;
    best = rank;
    allowed = !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0{0,3})?\s*$/.test(parameter));
  }
  return allowed;
}
