import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Json, JsonObject } from "../../protocol/data.ts";
import { Button, Link } from "../parts/elements.tsx";
import { decodeBase64, hexLines, size, visible } from "../text/format.ts";
import { isObject, parse, stringOf } from "../text/json.ts";
import { JsonTree } from "./json-tree.tsx";
import { LongText } from "./long-text.tsx";

/** A content block of a result or message. */
export function ContentBlock({ block, label }: { readonly block: Json; readonly label: string }): VNode {
  if (!isObject(block)) return <JsonTree value={block} label={label} />;
  return (
    <div class="block">
      <Kind block={block} label={label} />
      <Annotations block={block} />
    </div>
  );
}

function Kind({ block, label }: { readonly block: JsonObject; readonly label: string }): VNode {
  const { type, text, data, resource } = block;
  if (type === "text" && typeof text === "string") return <TextContent text={text} label={label} />;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return <Media data={data} mimeType={stringOf(block.mimeType) ?? ""} />;
  }
  if (type === "resource_link" && typeof block.uri === "string") return <ResourceLink link={block} uri={block.uri} />;
  if (type === "resource" && isObject(resource)) return <ContentsView contents={resource} label={label} />;
  return (
    <>
      <p class="problem">This kind of content is unknown.</p>
      <JsonTree value={block} label={label} />
    </>
  );
}

function ResourceLink({ link, uri }: { readonly link: JsonObject; readonly uri: string }): VNode {
  const { title, name, description, mimeType } = link;
  return (
    <p>
      <Link to={{ pane: "item", kind: "resource", key: uri }}>{visible(stringOf(title) ?? stringOf(name) ?? uri)}</Link>{" "}
      <code>{visible(uri)}</code>{" "}
      <span class="quiet">
        {visible([mimeType, description].filter((part) => typeof part === "string").join(" · "))}
      </span>
    </p>
  );
}

/** For whom the server means the content, and its other annotations. */
function Annotations({ block }: { readonly block: JsonObject }): VNode | null {
  const { annotations } = block;
  if (!isObject(annotations)) return null;
  const parts = Object.entries(annotations).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : JSON.stringify(value)}`,
  );
  return <p class="quiet">{visible(parts.join(" · "))}</p>;
}

/** The contents of one resource: text, or data by its type. */
export function ContentsView({ contents, label }: { readonly contents: JsonObject; readonly label: string }): VNode {
  const { uri, mimeType, text, blob } = contents;
  const type = stringOf(mimeType);
  return (
    <div class="contents">
      <p class="quiet">
        <code>{visible(stringOf(uri) ?? "")}</code> {visible(type ?? "without a type")}
      </p>
      {typeof text === "string" ? (
        <TextContent text={text} label={label} />
      ) : typeof blob === "string" ? (
        <Media data={blob} mimeType={type ?? ""} />
      ) : (
        <JsonTree value={contents} label={label} />
      )}
    </div>
  );
}

/** Longer texts are not parsed to see if they are JSON. */
const MAX_PARSED = 2_000_000;

/** A text: JSON as a tree, the rest as it is. */
function TextContent({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const value = useMemo(() => jsonIn(text), [text]);
  const [exact, setExact] = useState(false);
  if (value === undefined) return <LongText text={text} label={label} />;
  return (
    <>
      {exact ? <LongText text={text} label={label} /> : <JsonTree value={value} label={label} />}
      <Button label={exact ? "as JSON" : "as sent"} class="plain" onClick={() => setExact(!exact)} />
    </>
  );
}

function jsonIn(text: string): Json | undefined {
  if (text.length > MAX_PARSED || !/^\s*[{[]/.test(text)) return undefined;
  const value = parse(text);
  return typeof value === "object" && value !== null ? value : undefined;
}

/** Types that browsers show in `<img>`, where no script runs. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon)$/;
const AUDIO = /^audio\/[\w.+-]+$/;
const MAX_HEX = 4096;

/** Binary data: an image or audio if that is its type, else hexadecimal; never base64. */
function Media({ data, mimeType }: { readonly data: string; readonly mimeType: string }): VNode {
  const bytes = useMemo(() => decodeBase64(data), [data]);
  const [type = ""] = mimeType.toLowerCase().split(";");
  const address = useObjectUrl(bytes, IMAGE.test(type) || AUDIO.test(type) ? type : "application/octet-stream");
  const [isBroken, setBroken] = useState(false);
  if (bytes === undefined) return <p class="problem">{size(data.length)} that are not base64</p>;
  const name = `${visible(mimeType) || "data"}, ${size(bytes.length)}`;
  const isImage = IMAGE.test(type) && !isBroken;
  return (
    <figure class="media">
      {isImage && address && <img src={address} alt={name} onError={() => setBroken(true)} />}
      {AUDIO.test(type) && !isBroken && address && (
        // biome-ignore lint/a11y/useMediaCaption: the server sends no captions
        <audio src={address} controls aria-label={name} onError={() => setBroken(true)} />
      )}
      {isBroken && <p class="problem">The browser cannot show it as {visible(type)}.</p>}
      {((!isImage && !AUDIO.test(type)) || isBroken) && <pre class="hex">{hexLines(bytes, MAX_HEX)}</pre>}
      <figcaption>
        {name}
        {bytes.length > MAX_HEX && !isImage && !AUDIO.test(type) && `, the first ${size(MAX_HEX)}`}{" "}
        {address && (
          <a href={address} download={fileName(type)}>
            download
          </a>
        )}
      </figcaption>
    </figure>
  );
}

function useObjectUrl(bytes: Uint8Array<ArrayBuffer> | undefined, type: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (bytes === undefined) return undefined;
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return address;
}

function fileName(type: string): string {
  const [, subtype = "bin"] = /^[a-z]+\/(?:x-)?([a-z0-9]{1,10})/.exec(type) ?? [];
  return `data.${subtype === "octet" ? "bin" : subtype}`;
}
