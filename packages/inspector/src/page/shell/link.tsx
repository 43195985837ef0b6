import type { ComponentChildren, JSX, VNode } from "preact";
import type { Shown } from "../routes/route.ts";
import { useApp } from "../state/app.ts";

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
