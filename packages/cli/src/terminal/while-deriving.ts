import { clearStatus, showStatus } from "./status-line.ts";
import { text } from "./text.ts";

/**
 * Shows a line on a terminal while the compiler reads a module. It appears at once: loading the compiler takes longer
 * than a person waits without wondering, and no timer can run while the compiler blocks the thread.
 */
export async function whileDeriving<Value>(file: string, derive: () => Value | Promise<Value>): Promise<Value> {
  showStatus(text`Reading the types of ${file} …`);
  try {
    return await derive();
  } finally {
    clearStatus();
  }
}
