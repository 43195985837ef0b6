import type { Later } from "../../nodes/ports.ts";

/** Milliseconds for which a write of a run is tried again while the store is out of reach. */
const RETRY_TIME = 30_000;

/** Repeats a write that failed, until it succeeds, its run was left behind, or the time is up. @throws its error */
export function persist<Value>(
  write: () => Later<Value>,
  isOver: () => boolean,
  mayRepeat: (error: unknown) => boolean = () => true,
): Later<Value> {
  const end = Date.now() + RETRY_TIME;
  const again = async (error: unknown): Promise<Value> => {
    let latest = error;
    for (
      let pause = 100;
      Date.now() + pause < end && !isOver() && mayRepeat(latest);
      pause = Math.min(pause * 2, 2000)
    ) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      try {
        return await write();
      } catch (next) {
        latest = next;
      }
    }
    throw latest;
  };
  try {
    const written = write();
    return written instanceof Promise ? written.catch(again) : written;
  } catch (error) {
    return again(error);
  }
}
