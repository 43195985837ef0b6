import { render } from "preact";

render(
  <main>
    <h1>Inspector</h1>
  </main>,
  document.getElementById("page") as HTMLElement,
);
