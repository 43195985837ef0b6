import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { decodeBase64, hexLines } from "./bytes.ts";

/** Types that browsers show in `<img>`, where no script runs. */
const IMAGE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon)$/;
const AUDIO = /^audio\/[\w.+-]+$/;
const MAX_HEX = 4096;

/** Binary data: as what its type says, else as hexadecimal; never as base64. */
export function Media({ data, mimeType = "" }: { readonly data: string; readonly mimeType?: string }): VNode {
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
