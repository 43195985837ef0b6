import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../protocol/json.ts";
import { ResourceResult } from "../result/resource-result.tsx";
import { ResultDiff } from "../result/result-diff.tsx";
import type { LiveContent } from "../state/inspector-state.ts";
import { visible } from "../text/visible.ts";

interface Update {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly at: number;
}

/** A subscribed resource: its contents now, and what the last update changed. */
export function LiveTab({ live }: { readonly live: LiveContent }): VNode {
  const last = useRef<JsonObject | undefined>(live.result);
  const [update, setUpdate] = useState<Update>();
  useEffect(() => {
    const { result, at } = live;
    if (last.current !== undefined && result !== undefined && last.current !== result) {
      setUpdate({ before: last.current, after: result, at });
    }
    if (result !== undefined) last.current = result;
  }, [live]);
  return (
    <>
      {live.error !== undefined && <p class="problem">{visible(live.error)}</p>}
      {update !== undefined && (
        <section aria-label="Last change">
          <h3>
            Changed at{" "}
            <time dateTime={new Date(update.at).toISOString()}>{new Date(update.at).toLocaleTimeString()}</time>
          </h3>
          <ResultDiff before={update.before} after={update.after} />
        </section>
      )}
      {live.result !== undefined && <ResourceResult result={live.result} />}
    </>
  );
}
