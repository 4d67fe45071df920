import type { ComponentType } from 'react';
import { useSyncExternalStore } from 'react';

/** A component whose code is fetched when somebody is about to need it. Once it is there it is drawn at once, everywhere. */
export interface Late<Props> {
  /** Fetches it, unless it is there or on its way. False: it could not be fetched; the next call tries again. */
  load(): Promise<boolean>;
  /** The component, for whoever draws it; null while it is not there. */
  use(): ComponentType<Props> | null;
}

const all: Pick<Late<never>, 'load'>[] = [];

/** See `Late`. `fetch` imports it. */
export function late<Props>(fetch: () => Promise<ComponentType<Props>>): Late<Props> {
  let part: ComponentType<Props> | null = null;
  let loading: Promise<boolean> | null = null;
  const drawers = new Set<() => void>();
  const made: Late<Props> = {
    load() {
      loading ??= fetch().then(
        (fetched) => {
          part = fetched;
          for (const draw of drawers) draw();
          return true;
        },
        () => {
          loading = null;
          return false;
        },
      );
      return loading;
    },
    use: () =>
      useSyncExternalStore(
        (draw) => {
          drawers.add(draw);
          return () => drawers.delete(draw);
        },
        () => part,
      ),
  };
  all.push(made);
  return made;
}

/** Fetches what nobody has needed yet: for a page that is at rest, so that it is there when the server is not. */
export function loadLateParts(): void {
  for (const each of all) void each.load();
}
