type Path<T> = { [K in keyof T & string]: T[K] extends object ? `${K}.${Path<T[K]>}` : K }[keyof T & string];

const settings = { size: { width: 5, height: 7 }, name: "a" } as const satisfies Record<string, unknown>;

/** Reads a setting. */
export function read(path: Exclude<Path<typeof settings>, "name">, at: Date): { value: number; at: Date } {
  const [, key] = path.split(".") as ["size", "width" | "height"];
  return { value: settings.size[key], at };
}
