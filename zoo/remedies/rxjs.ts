import { from, lastValueFrom, map, toArray } from "rxjs";
import { gives } from "../expect.ts";

/** Streams values. */
export async function stream(name: string): Promise<number[]> {
  return lastValueFrom(
    from([...name]).pipe(
      map((text) => text.length),
      toArray(),
    ),
  );
}
gives(stream, ["ab"], [1, 1]);
