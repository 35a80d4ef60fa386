import { useRoute } from "vitepress";
import { onBeforeUnmount, onMounted, watch } from "vue";
import { Remembered } from "./remembered.ts";

const remembered = new Remembered("package-manager");

/** The tab that a reader has chosen is open in every group of tabs that has it, on this page and on the next ones. */
export function useOnePackageManager(): void {
  const open = (): void => {
    const name = remembered.get();
    if (name !== null) for (const group of document.querySelectorAll(".vp-code-group")) openTab(group, name);
  };
  const onChange = ({ target }: Event): void => {
    const input = target instanceof HTMLInputElement ? target : null;
    const name = input?.labels?.[0]?.dataset["title"];
    if (name === undefined || !input?.closest(".vp-code-group")) return;
    remembered.set(name);
    open();
  };
  onMounted(() => {
    addEventListener("change", onChange);
    open();
  });
  onBeforeUnmount(() => removeEventListener("change", onChange));
  const route = useRoute();
  watch(() => route.data, open, { flush: "post" });
}

/** Without a click, at which VitePress would scroll. */
function openTab(group: Element, name: string): void {
  const at = [...group.querySelectorAll("label")].findIndex(({ dataset }) => dataset["title"] === name);
  const input = group.querySelectorAll("input")[at];
  if (input === undefined) return;
  input.checked = true;
  for (const [index, block] of [...(group.querySelector(".blocks")?.children ?? [])].entries())
    block.classList.toggle("active", index === at);
}
