import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../protocol/data.ts";
import { Button, Select } from "../parts/elements.tsx";
import { visible } from "../text/format.ts";
import { isObject, memberOf, type Path, pointerOf } from "../text/json.ts";
import { initialOf } from "./example.ts";
import type { Field, Later, Property } from "./field.ts";
import { FieldRow, type Placed, useForm, usePlace } from "./field-row.tsx";
import { branchOf, fits } from "./fits.ts";
import { withBranch, withMovedItem, withValue } from "./form-draft.ts";

type FieldOf<Kind extends Field["kind"]> = Extract<Field, { kind: Kind }>;

/** More properties are shown at a press. */
const MAX_SHOWN = 60;
/** Deeper objects open at a press: a type may contain itself. */
const MAX_OPEN = 3;

/** The properties of an object. */
export function ObjectFields(placed: Placed): VNode {
  const { path, required, label } = placed;
  const { properties, extra } = placed.field as FieldOf<"object">;
  const { form, value, pointer, set } = usePlace(placed);
  const [all, setAll] = useState(false);
  const isRoot = path.length === 0;
  const isOpen = value !== undefined || isRoot || (required && path.length <= MAX_OPEN);
  if (!isOpen) {
    const add = () => {
      set(initialOf(placed.field));
      form.focusNext(pointer);
    };
    return (
      <FieldRow placed={placed}>
        <Button label={`+ add ${label}`} class="plain" onClick={add} />
      </FieldRow>
    );
  }
  // Set and required ones are never behind the press.
  const isFirst = ({ name, required }: Property, index: number) =>
    all || index < MAX_SHOWN || required || memberOf(value, name) !== undefined;
  const shown = properties.filter(isFirst);
  const members = (
    <div class="members">
      {shown.map(({ name, required, field: later }) => (
        <div key={name} class="member">
          {form.draw({ field: later(), path: [...path, name], label: name, required })}
        </div>
      ))}
      {shown.length < properties.length && (
        <Button label={`show all ${properties.length} properties`} class="plain" onClick={() => setAll(true)} />
      )}
      {extra !== undefined && (
        <RecordEntries
          key={pointer}
          path={path}
          label={label}
          extra={extra}
          known={new Set(properties.map(({ name }) => name))}
          present={isObject(value) ? Object.keys(value) : []}
        />
      )}
    </div>
  );
  return isRoot ? members : <FieldRow placed={placed}>{members}</FieldRow>;
}

interface RecordProps {
  readonly path: Path;
  readonly label: string;
  readonly extra: Later;
  /** The names that have other fields. */
  readonly known: ReadonlySet<string>;
  /** The names that have a value. */
  readonly present: readonly string[];
}

/** The values of names that people choose. */
function RecordEntries({ path, label, extra, known, present }: RecordProps): VNode {
  const form = useForm();
  const [name, setName] = useState("");
  const isTaken = known.has(name) || present.includes(name);

  function add(): void {
    form.update((draft) => withValue(draft, [...path, name], initialOf(extra())));
    form.focusNext(pointerOf([...path, name]));
    setName("");
  }

  return (
    <>
      {present
        .filter((entry) => !known.has(entry))
        .map((entry) => {
          const remove = () => form.update((draft) => withValue(draft, [...path, entry], undefined));
          const actions = <Button label="×" aria-label={`Remove ${entry}`} onClick={remove} />;
          return (
            <div key={entry} class="member">
              {form.draw({ field: extra(), path: [...path, entry], label: entry, required: false, actions })}
            </div>
          );
        })}
      <div class="add-name">
        <input
          type="text"
          aria-label={`New name in ${label || "the arguments"}`}
          placeholder="name"
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            if (!isTaken) add();
          }}
        />
        <Button label="+ add" class="plain" disabled={isTaken} onClick={add} />
        {isTaken && <span class="problem">this name exists</span>}
      </div>
    </>
  );
}

/** More items are shown at a press. */
const MAX_ITEMS = 50;

/** A list or a tuple. */
export function ArrayFields(placed: Placed): VNode {
  const { path, label } = placed;
  const field = placed.field as FieldOf<"array">;
  const { form, value } = usePlace(placed);
  const [all, setAll] = useState(false);
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  const shown = all ? items : items.slice(0, MAX_ITEMS);
  const next = field.prefix[items.length] ?? field.items;

  function add(): void {
    if (next === undefined) return;
    form.update((draft) => withValue(draft, [...path, items.length], initialOf(next())));
    form.focusNext(pointerOf([...path, items.length]));
  }

  function move(from: number, to: number | undefined): void {
    form.update((draft) => withMovedItem(draft, path, from, to));
    const rest = items.length - (to === undefined ? 1 : 0);
    form.focusNext(pointerOf(rest === 0 ? path : [...path, Math.min(to ?? from, rest - 1)]));
  }

  return (
    <FieldRow placed={placed}>
      <ol class="array" start={1}>
        {shown.map((_item, index) => {
          const later = field.prefix[index] ?? field.items;
          if (later === undefined) return null;
          const child = later();
          const name = `${label} ${index + 1}`;
          return (
            <li key={index}>
              {form.draw({
                field: child,
                path: [...path, index],
                label: child.title === undefined ? name : `${name}: ${child.title}`,
                required: false,
                fixed: true,
                actions: <ItemActions name={name} index={index} count={items.length} move={move} />,
              })}
            </li>
          );
        })}
      </ol>
      {shown.length < items.length && (
        <Button label={`show all ${items.length} items`} class="plain" onClick={() => setAll(true)} />
      )}
      {next !== undefined && (
        <button type="button" class="plain" data-pointer={`${pointerOf(path)}:add`} onClick={add}>
          + add <span class="visually-hidden">to {label}</span>
          <span aria-hidden="true">an item</span>
        </button>
      )}
    </FieldRow>
  );
}

interface ActionsProps {
  readonly name: string;
  readonly index: number;
  readonly count: number;
  move(from: number, to: number | undefined): void;
}

function ItemActions({ name, index, count, move }: ActionsProps): VNode {
  return (
    <span class="item-actions">
      <Button label="↑" aria-label={`Move ${name} up`} disabled={index === 0} onClick={() => move(index, index - 1)} />
      <Button
        label="↓"
        aria-label={`Move ${name} down`}
        disabled={index === count - 1}
        onClick={() => move(index, index + 1)}
      />
      <Button label="×" aria-label={`Remove ${name}`} onClick={() => move(index, undefined)} />
    </span>
  );
}

/** A choice of an alternative, and its fields below. */
export function UnionFields(placed: Placed): VNode {
  const { path, label } = placed;
  const field = placed.field as FieldOf<"union">;
  const { form, value, fixed, pointer, control, set } = usePlace(placed);
  const isRoot = path.length === 0;
  const chosen = form.draft.branches?.[pointer];
  const isChosen = chosen !== undefined && value !== undefined && fits(field.branches[chosen]?.field() ?? field, value);
  const untouched = isRoot && field.tag === undefined && isEmpty(value) ? 0 : undefined;
  const index = isChosen ? chosen : (untouched ?? branchOf(field, value));
  const branch = index === undefined ? undefined : field.branches[index];

  function choose(text: string): void {
    const next = Number(text);
    const child = text === "" ? undefined : field.branches[next]?.field();
    if (child === undefined) set(text === "null" ? null : undefined);
    else form.update((draft) => withBranch(draft, path, next, carryOver(child, value)));
  }

  const options = field.branches.map(({ label }, at): [string, string] => [String(at), visible(label)]);
  if (index === undefined || !(fixed || isRoot)) options.unshift(["", isRoot ? "choose …" : "left out"]);
  if (field.nullable) options.push(["null", "null"]);
  const select = (
    <Select
      {...control}
      aria-label={isRoot ? "Kind of arguments" : `${label}: kind`}
      value={value === null ? "null" : String(index ?? "")}
      options={options}
      onChoose={choose}
    />
  );
  const fields =
    branch && form.draw({ field: branch.field(), path, label, required: placed.required, bare: true, fixed: true });
  if (isRoot) {
    return (
      <div class="members">
        {select}
        {fields}
      </div>
    );
  }
  return (
    <FieldRow placed={placed}>
      {select}
      {value !== undefined && value !== null && fields}
    </FieldRow>
  );
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

/** Keeps the members that the new alternative has, too. */
function carryOver(field: Field, value: Json | undefined): Json {
  const initial = initialOf(field);
  if (field.kind !== "object" || !isObject(initial)) return fits(field, value) && value !== undefined ? value : initial;
  const kept = field.properties.flatMap(({ name, field: later }): [string, Json][] => {
    const member = memberOf(value, name);
    const isKept = member !== undefined && memberOf(initial, name) === undefined && fits(later(), member);
    return isKept ? [[name, member]] : [];
  });
  return { ...initial, ...Object.fromEntries(kept) };
}
