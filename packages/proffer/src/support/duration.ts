/** Writes a number of milliseconds as people say it: "10 minutes", "1 second", "1500 ms". */
export function durationText(milliseconds: number): string {
  if (milliseconds % 1000 !== 0) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, "minute"] : [seconds, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
