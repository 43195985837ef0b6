import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { Compared } from "../../protocol/api.ts";
import type { CallState, Item, Json } from "../../protocol/data.ts";
import { Button, TableHead } from "../parts/elements.tsx";
import { LongText } from "../result/long-text.tsx";
import { useApp } from "../state/app.ts";
import { duration, size, visible } from "../text/format.ts";
import { isEqual, isObject } from "../text/json.ts";

/** Tools for which someone has agreed to calls with effects; until the page is closed. */
const agreed = new Set<string>();

/** The same call on every revision of the server, side by side. */
export function RevisionsTab(props: { readonly item: Item | undefined; readonly call: CallState | undefined }): VNode {
  const { item, call } = props;
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
        <Button
          label={results === undefined ? `Repeat on ${count} revisions` : "Repeat"}
          disabled={busy}
          onClick={start}
        />{" "}
        <span class="quiet">Questions are declined.</span>
      </p>
      {asking && (
        <fieldset class="ask">
          <legend>Calls with effects</legend>
          <p>
            {visible(item?.key ?? "The tool")} is not marked as read-only, so {count} calls may have {count} effects.
          </p>
          <p class="buttons">
            <Button
              label={`Call it ${count} times`}
              ref={(button) => button?.focus()}
              onClick={() => {
                agreed.add(item?.key ?? "");
                compare();
              }}
            />
            <Button label="Don't" onClick={() => setAsking(false)} />
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
        <TableHead columns={["member", ...results.map(({ revision }) => revision)]} />
        <tbody>
          <Row name="time, size" cells={results.map(({ ms, bytes }) => `${duration(ms)}, ${size(bytes)}`)} />
          {hasErrors && <Row name="error" cells={results.map(errorCell)} />}
          {names.map((name) => (
            <MemberRow key={name} name={name} results={results} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function errorCell({ error }: Compared): VNode | string {
  return error === undefined ? "–" : <span class="bad">{`${error.code} ${visible(error.message)}`}</span>;
}

function MemberRow({ name, results }: { readonly name: string; readonly results: readonly Compared[] }): VNode {
  const values = results.map(({ result }): Json | undefined =>
    result !== undefined && Object.hasOwn(result, name) ? result[name] : undefined,
  );
  const cells = values.map((value, index) => {
    if (value === undefined) return <span class="quiet">–</span>;
    return <LongText text={JSON.stringify(value, null, 1)} label={`${name} on ${results[index]?.revision}`} />;
  });
  return <Row name={visible(name)} cells={cells} differs={values.some((value) => !isEqual(value, values[0]))} />;
}

interface RowProps {
  readonly name: string;
  /** By revision, in the order of the table. */
  readonly cells: readonly ComponentChildren[];
  readonly differs?: boolean;
}

function Row({ name, cells, differs = false }: RowProps): VNode {
  return (
    <tr class={differs ? "differs" : ""}>
      <th scope="row">
        {name}
        {differs && <span class="warning"> differs</span>}
      </th>
      {cells.map((cell, index) => (
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
}
