import { defineComponent, h, onBeforeUnmount, onMounted, type PropType, ref } from "vue";
import { Remembered } from "./remembered.ts";

/** A section of the page that can be chosen. */
export interface Choice {
  /** Of its heading. */
  readonly id: string;
  readonly name: string;
}

const remembered = new Remembered("section");
const everything = "all";

/**
 * Shows one of the sections of the page. The choice is remembered by its name, and holds on every page that has a section of that
 * name. The address of a section goes before what is remembered.
 */
export const SectionPicker = defineComponent({
  props: {
    label: { type: String, required: true },
    choices: { type: Array as PropType<readonly Choice[]>, required: true },
  },
  setup({ label, choices }) {
    const chosen = ref(everything);
    const show = (id: string): void => {
      chosen.value = id;
      for (const section of sectionsOfPage()) section.hidden = id !== everything && section.dataset["section"] !== id;
    };
    const showAddressed = (): void => {
      const id = addressedSection();
      if (id !== undefined && chosen.value !== everything) show(id);
    };
    const choose = (event: Event, id: string): void => {
      event.preventDefault();
      show(id);
      remembered.set(choices.find((choice) => choice.id === id)?.name ?? everything);
      history.replaceState(history.state, "", id === everything ? location.pathname : `#${id}`);
    };

    onMounted(() => {
      addEventListener("hashchange", showAddressed);
      show(addressedSection() ?? choices.find(({ name }) => name === remembered.get())?.id ?? everything);
    });
    onBeforeUnmount(() => removeEventListener("hashchange", showAddressed));

    const link = ({ id, name }: Choice) =>
      h(
        "a",
        {
          href: id === everything ? "#" : `#${id}`,
          "aria-current": chosen.value === id ? "true" : undefined,
          onClick: (event: Event) => choose(event, id),
        },
        name,
      );
    // `vp-raw`: VitePress leaves its links alone, and does not scroll.
    return () =>
      h(
        "nav",
        { class: "section-picker vp-raw", "aria-label": label },
        [{ id: everything, name: "All" }, ...choices].map(link),
      );
  },
});

const sectionsOfPage = (): readonly HTMLElement[] => [
  ...document.querySelectorAll<HTMLElement>(".picked-section[data-section]"),
];

/** The section in which the address of the page leads. */
function addressedSection(): string | undefined {
  const target = document.getElementById(location.hash.slice(1));
  return target?.closest<HTMLElement>(".picked-section")?.dataset["section"];
}
