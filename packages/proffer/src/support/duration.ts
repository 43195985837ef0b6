/** Writes a number of milliseconds as people say it: "10 minutes", "1.5 s". */
export function durationText(milliseconds: number): string {
  const minutes = milliseconds / 60_000;
  return minutes > 1 && Number.isInteger(minutes) ? `${minutes} minutes` : `${milliseconds / 1000} s`;
}
