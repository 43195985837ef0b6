import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Compared } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import type { Json } from "../../protocol/json.ts";
import type { Item } from "../../protocol/offer.ts";
import { isObject } from "../form/path.ts";
import { isEqual } from "../form/read-schema.ts";
import { LongText } from "../result/long-text.tsx";
import { useApp } from "../state/app.ts";
import { duration, size } from "../text/units.ts";
import { visible } from "../text/visible.ts";

/** Tools for which someone has agreed to calls with effects; until the page is closed. */
const agreed = new Set<string>();

interface RevisionsProps {
  readonly item: Item | undefined;
  readonly call: CallState | undefined;
}

/** The same call on every revision of the server, side by side. */
export function RevisionsTab({ item, call }: RevisionsProps): VNode {
  const { api, state, report } = useApp();
  const [results, setResults] = useState<readonly Compared[]>();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  if (call === undefined) return <p class="quiet">Make a call first; then it can be repeated on each revision.</p>;
  const count = state.revisions.length;

  function compare(): void {
    if (call === undefined) return;
    setAsking(false);
    setBusy(true);
    api
      .post("compare", { method: call.method, params: call.params })
      .then(({ results: found }) => setResults(found), report)
      .finally(() => setBusy(false));
  }

  function start(): void {
    const hasEffects = call?.method === "tools/call" && !isReadOnly(item) && !agreed.has(item?.key ?? "");
    if (hasEffects) setAsking(true);
    else compare();
  }

  return (
    <>
      <p>
        <button type="button" disabled={busy} onClick={start}>
          {results === undefined ? `Repeat on ${count} revisions` : "Repeat"}
        </button>{" "}
        <span class="quiet">Questions are declined.</span>
      </p>
      {asking && (
        <fieldset class="ask">
          <legend>Calls with effects</legend>
          <p>
            {visible(item?.key ?? "The tool")} is not marked as read-only, so {count} calls may have {count} effects.
          </p>
          <p class="buttons">
            <button
              type="button"
              ref={(button) => button?.focus()}
              onClick={() => {
                agreed.add(item?.key ?? "");
                compare();
              }}
            >
              Call it {count} times
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Don't
            </button>
          </p>
        </fieldset>
      )}
      {results !== undefined && <Comparison results={results} />}
    </>
  );
}

function isReadOnly(item: Item | undefined): boolean {
  const annotations = item?.description.annotations;
  return isObject(annotations) && annotations.readOnlyHint === true;
}

function Comparison({ results }: { readonly results: readonly Compared[] }): VNode {
  const names = [...new Set(results.flatMap(({ result }) => Object.keys(result ?? {})))];
  const hasErrors = results.some(({ error }) => error !== undefined);
  return (
    // The table may be wider than the pane: the keyboard must be able to scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section class="table" aria-label="Results by revision" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">member</th>
            {results.map(({ revision }) => (
              <th key={revision} scope="col">
                {revision}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">time, size</th>
            {results.map(({ revision, ms, bytes }) => (
              <td key={revision}>
                {duration(ms)}, {size(bytes)}
              </td>
            ))}
          </tr>
          {hasErrors && (
            <tr>
              <th scope="row">error</th>
              {results.map(({ revision, error }) => (
                <td key={revision}>
                  {error === undefined ? "–" : <span class="bad">{`${error.code} ${visible(error.message)}`}</span>}
                </td>
              ))}
            </tr>
          )}
          {names.map((name) => (
            <MemberRow key={name} name={name} results={results} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function MemberRow({ name, results }: { readonly name: string; readonly results: readonly Compared[] }): VNode {
  const values = results.map(({ result }): Json | undefined =>
    result !== undefined && Object.hasOwn(result, name) ? result[name] : undefined,
  );
  const differs = values.some((value) => !isEqual(value, values[0]));
  return (
    <tr class={differs ? "differs" : ""}>
      <th scope="row">
        {visible(name)}
        {differs && <span class="warning"> differs</span>}
      </th>
      {values.map((value, index) => (
        <td key={results[index]?.revision}>
          {value === undefined ? (
            <span class="quiet">–</span>
          ) : (
            <LongText text={JSON.stringify(value, null, 1)} label={`${name} on ${results[index]?.revision}`} />
          )}
        </td>
      ))}
    </tr>
  );
}
