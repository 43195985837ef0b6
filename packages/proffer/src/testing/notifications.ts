import type { JsonObject } from "../protocol/messages.ts";

export interface Notification {
  readonly method: string;
  readonly params: JsonObject;
}

type Test = (notification: Notification) => boolean;

/** What a server sent without being asked, and who waits for what. */
export class Notifications {
  /** All of them, oldest first. */
  readonly heard: Notification[] = [];
  readonly #claimed = new WeakSet<Notification>();
  readonly #waiting = new Set<Test>();

  /** Takes one that arrived; the first that waits for it gets it. */
  hear(notification: Notification): void {
    this.heard.push(notification);
    for (const take of this.#waiting) if (take(notification)) return;
  }

  /** The first that passes the test and nobody has waited for, be it here already or still to come. */
  waitFor(method: string, test: Test): Promise<Notification> {
    const fits: Test = (each) => each.method === method && !this.#claimed.has(each) && test(each);
    return new Promise((resolve) => {
      const take: Test = (notification) => {
        if (!fits(notification)) return false;
        this.#claimed.add(notification);
        this.#waiting.delete(take);
        resolve(notification);
        return true;
      };
      if (!this.heard.some(take)) this.#waiting.add(take);
    });
  }
}
