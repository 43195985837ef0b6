/** The middle value. */
export function median(values) {
  return quantile(values, 0.5);
}

/** The value below which the given share of the values lies, between two values interpolated. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

/** The median of each number in a list of records of equal shape. */
export function medians(records) {
  const keys = Object.keys(records[0]);
  return Object.fromEntries(keys.map((key) => [key, median(records.map((record) => record[key]))]));
}
