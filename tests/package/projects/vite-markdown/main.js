import { renderMarkdown } from "chatwire/markdown";

globalThis.talk = async () => {
  const element = document.createElement("div");
  const view = renderMarkdown(element);
  await view.ready;
  view.append("*a* <script>b</script>");
  return { html: element.innerHTML };
};
