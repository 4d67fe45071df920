import { useLayoutEffect, useRef, useState } from 'react';

/** See `useOpenWindow`. */
export interface WindowProps {
  opened: boolean;
  stays: boolean; // nothing but a button in it closes it
  closesOnEscape: boolean;
  onClose: () => void;
}

/** A window that is open, and how it is closed. */
interface OpenWindow {
  zIndex: number;
  props: () => WindowProps;
}

/** Those that are open, the one on top last. */
const open: OpenWindow[] = [];

/** Above the page, and below the choices of select boxes, which are at 300. */
const lowestZIndex = 200;

/** Whether the window on top is to be answered by its own button before anything else is opened. */
export const isTopToStay = (): boolean => open.at(-1)?.props().stays === true;

/**
 * A window that was opened later lies over those before, and Escape closes only that on top: Mantine's windows each listen for themselves, so
 * that one key would close all of them, with what is typed or shown there. Gives the place of this one, and how others close it.
 */
export function useOpenWindow(props: WindowProps): { zIndex: number; close: () => void } {
  const newest = useRef(props);
  const own = useRef<OpenWindow | null>(null);
  const [zIndex, setZIndex] = useState(lowestZIndex);
  useLayoutEffect(() => {
    newest.current = props;
  });
  const { opened } = props;
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const entry = { zIndex: (open.at(-1)?.zIndex ?? lowestZIndex) + 1, props: () => newest.current };
    own.current = entry;
    open.push(entry);
    setZIndex(entry.zIndex);
    window.addEventListener('keydown', closeTop, { capture: true }); // one for all: adding it again changes nothing
    return () => {
      open.splice(open.indexOf(entry), 1);
      if (open.length === 0) window.removeEventListener('keydown', closeTop, { capture: true });
    };
  }, [opened]);
  const close = () => {
    if (open.at(-1) === own.current) newest.current.onClose();
  };
  return { zIndex, close };
}

function closeTop(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.isComposing) return;
  // The choices of a select box and menus close themselves first.
  if (event.target instanceof Element && event.target.getAttribute('data-mantine-stop-propagation') === 'true') return;
  const top = open.at(-1)?.props();
  if (top?.closesOnEscape === true && !top.stays) top.onClose();
}
