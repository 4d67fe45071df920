import type { ComponentType, ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { isUnloaded, unloadedText } from './unloaded.ts';

/** Between two tries to fetch what the server was not reachable for, in ms. */
const againMs = 5_000;

/**
 * A component whose code is fetched when it is first drawn; `waiting` stands in its place until then. Where the server was not reachable
 * that is said in its place, and it is tried again: a moment without a network takes nothing else from the page. What breaks otherwise is
 * for the nearest ErrorBoundary.
 *
 * It is not React's `lazy`: React shows a placeholder for 300 ms at least, however soon the code is there
 * (docs/decisions/0069-code-on-demand.md).
 */
export function onDemand<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  waiting: ReactNode | ((props: Props) => ReactNode) = null,
): ComponentType<Props> {
  let fetched: ComponentType<Props> | null = null; // once it is there it is drawn at once, everywhere
  return function OnDemand(props: Props) {
    const [Part, setPart] = useState(() => fetched);
    const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
    useEffect(() => {
      if (Part !== null) return undefined;
      let isGone = false;
      const load = async (): Promise<void> => {
        try {
          const part = await fetch();
          fetched = part;
          if (!isGone) setPart(() => part);
        } catch (cause) {
          if (!isGone) setFailure({ cause });
        }
      };
      const again = failure === null ? null : setTimeout(() => void load(), againMs);
      if (again === null) void load();
      return () => {
        isGone = true;
        if (again !== null) clearTimeout(again);
      };
    }, [Part, failure]);
    if (Part === null && failure !== null) {
      if (!isUnloaded(failure.cause)) throw failure.cause;
      return (
        <p className="fl-loading" role="alert">
          {unloadedText}
        </p>
      );
    }
    if (Part === null) return typeof waiting === 'function' ? waiting(props) : waiting;
    return <Part {...props} />;
  };
}
