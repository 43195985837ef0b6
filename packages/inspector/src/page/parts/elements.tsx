import type { ComponentChildren, JSX, VNode } from "preact";
import type { Place, Problem } from "../../protocol/data.ts";
import { useApp } from "../state/app.ts";
import type { Shown } from "../state/route.ts";
import { visible } from "../text/format.ts";

type Attributes = Omit<JSX.IntrinsicElements["a"], "href" | "onClick" | "role">;

/** A link to another part of the page. With a modifier the browser opens it as it always does. */
export function Link({ to, children, ...rest }: Attributes & { to: Shown; children?: ComponentChildren }): VNode {
  const { href, go } = useApp();
  return (
    <a
      {...rest}
      href={href(to)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

type ButtonAttributes = Omit<JSX.IntrinsicElements["button"], "type" | "children">;

/** A button that does not send the form around it. */
export function Button({ label, ...rest }: ButtonAttributes & { readonly label: ComponentChildren }): VNode {
  return (
    <button type="button" {...rest}>
      {label}
    </button>
  );
}

type SelectAttributes = Omit<JSX.IntrinsicElements["select"], "onChange" | "children" | "multiple" | "role" | "size">;

interface SelectProps extends SelectAttributes {
  /** The values in their order; a pair has another text to show. */
  readonly options: readonly (string | readonly [value: string, label: string])[];
  onChoose(value: string): void;
}

export function Select({ options, onChoose, ...rest }: SelectProps): VNode {
  return (
    <select {...rest} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map((option) => {
        const [value, label] = typeof option === "string" ? [option, option] : option;
        return (
          <option key={value} value={value}>
            {label}
          </option>
        );
      })}
    </select>
  );
}

export function TableHead({
  columns,
  ...rest
}: {
  readonly columns: readonly string[];
  readonly class?: string;
}): VNode {
  return (
    <thead {...rest}>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A text as it is. It may be larger than its place, so the keyboard can scroll it. */
export function Preformatted({ text, ...rest }: { readonly text: string; readonly class?: string }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard
    <pre {...rest} tabIndex={0}>
      {text}
    </pre>
  );
}

/** Returns a handler that acts in place of the browser. */
export function instead(act: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    act();
  };
}

/** A place in the source, which opens in the editor. */
export function PlaceButton({ place }: { readonly place: Place }): VNode {
  const { offer, openPlace } = useApp();
  return (
    <Button
      label={`${visible(offer?.files[place.file] ?? "?")}:${place.line}`}
      class="plain code"
      title="Open in the editor"
      onClick={() => openPlace(place)}
    />
  );
}

/** Copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const { announce, report } = useApp();
  return (
    <Button
      label={label}
      class="plain"
      onClick={() => navigator.clipboard.writeText(text).then(() => announce("Copied"), report)}
    />
  );
}

/** The address as a URL, if it may be opened: only http and https. */
export function webAddress(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A link to another site, with its host; anything else is text. */
export function SafeLink({ address }: { readonly address: string }): VNode {
  const url = webAddress(address);
  if (url === undefined) return <code>{visible(address)}</code>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      {visible(address)} <span class="quiet">({url.host})</span>
    </a>
  );
}

/** Leads from the lane of a watched client to its view of the server. A recording has no server to ask. */
export function ClientLink({ conn }: { readonly conn: string | undefined }): VNode | null {
  const { state } = useApp();
  const lane = state.lanes.find((lane) => lane.conn === conn);
  if (lane?.role !== "client" || !state.abilities.calls) return null;
  return <Link to={{ pane: "client", conn: lane.conn }}>What {visible(lane.name)} sees</Link>;
}

const MAX_SHOWN = 20;

/** Where a value breaks a schema. */
export function Problems(props: { readonly title: string; readonly problems: readonly Problem[] }): VNode | null {
  const { title, problems } = props;
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

/** Returns the modifier of a shortcut as this machine writes it, before the other key. */
export function modifier(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl ";
}
