import { withBase } from "vitepress";
import { type Component, defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";

export interface Place {
  readonly element: HTMLElement;
  /** The address of a file of the site. */
  readonly addressOf: (path: string) => string;
}

/** Fills its place, and says how to leave it. */
export type Show = (place: Place) => () => void;

/** Something of the page that needs a browser: it is loaded when the page is shown. */
export function mounted(className: string, load: () => Promise<Show>): Component {
  return defineComponent({
    setup() {
      const place = ref<HTMLElement>();
      let leave: (() => void) | null = null;
      let isGone = false;
      onMounted(async () => {
        const show = await load();
        if (isGone || place.value === undefined) return;
        leave = show({
          element: place.value,
          addressOf: (path) => new URL(withBase(path), location.href).href,
        });
      });
      onBeforeUnmount(() => {
        isGone = true;
        leave?.();
      });
      return () => h("div", { class: className, ref: place });
    },
  });
}
