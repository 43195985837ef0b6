/** Returns the median. */
export function median(values) {
  return quantile(values, 0.5);
}

/** Returns a quantile, interpolated between two values. */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

/** Groups records by the named keys, with the medians of their other numbers. */
export function mediansBy(names, records) {
  const groups = new Map();
  for (const record of records) {
    const group = JSON.stringify(names.map((name) => record[name]));
    if (groups.has(group)) groups.get(group).push(record);
    else groups.set(group, [record]);
  }
  return [...groups.values()].map((group) =>
    Object.fromEntries(
      Object.entries(group[0]).map(([key, value]) => [
        key,
        names.includes(key) ? value : median(group.map((record) => record[key])),
      ]),
    ),
  );
}
