import type { VNode } from "preact";
import type { Problem } from "../../protocol/call.ts";
import { visible } from "../text/visible.ts";

const MAX_SHOWN = 20;

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly Problem[];
}

/** Where a value breaks a schema. */
export function Problems({ title, problems }: ProblemsProps): VNode | null {
  if (problems.length === 0) return null;
  return (
    <section class="problems" aria-label={title}>
      <p class="problem">{title}:</p>
      <ul>
        {problems.slice(0, MAX_SHOWN).map(({ pointer, message }) => (
          <li key={`${pointer} ${message}`}>
            <code>{visible(pointer) || "/"}</code> {visible(message)}
          </li>
        ))}
        {problems.length > MAX_SHOWN && <li>and {problems.length - MAX_SHOWN} more</li>}
      </ul>
    </section>
  );
}
