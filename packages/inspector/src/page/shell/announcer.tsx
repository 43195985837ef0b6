import type { VNode } from "preact";

export interface Announcement {
  readonly polite: string;
  readonly assertive: string;
}

/** What screen readers say: results politely, questions at once. */
export function Announcer({ polite, assertive }: Announcement): VNode {
  return (
    <div class="visually-hidden">
      <div aria-live="polite" role="status">
        {polite}
      </div>
      <div aria-live="assertive" role="alert">
        {assertive}
      </div>
    </div>
  );
}
