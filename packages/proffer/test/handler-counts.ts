import type { TestClient } from "proffer/testing";
import { expect } from "vitest";

/** Counts of the handlers of `fixtures/features.ts`. */
export interface HandlerCounts {
  readonly waiting: number;
  readonly aborted: number;
  /** Tasks that still have to run after their handler's result was sent. */
  readonly late: number;
}

/** Asks the server for its counts. */
export async function countsOf(client: TestClient): Promise<HandlerCounts> {
  const { content } = await client.call("seen");
  return JSON.parse((content[0] as { text: string }).text);
}

/** Waits until the counts of the server match. */
export async function waitForCounts(client: TestClient, expected: Partial<HandlerCounts>): Promise<void> {
  await expect.poll(() => countsOf(client)).toMatchObject(expected);
}
