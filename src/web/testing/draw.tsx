import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { render } from 'vitest-browser-react';

/** A component by itself, drawn. `container` is where; `rerender` draws it again with other values. */
export interface Drawing {
  container: HTMLElement;
  rerender: (element: ReactNode) => Promise<void>;
}

/** Draws a component and returns when nothing of it waits to be drawn: `render` returns when the drawing has been asked for. */
export async function draw(element: ReactNode): Promise<Drawing> {
  const first = Promise.withResolvers<void>();
  const screen = await render(<Watched onDrawn={first.resolve}>{element}</Watched>);
  await first.promise;
  await idle();
  return {
    container: screen.container,
    async rerender(next) {
      const again = Promise.withResolvers<void>();
      await screen.rerender(<Watched onDrawn={again.resolve}>{next}</Watched>);
      await again.promise;
      await idle();
    },
  };
}

/**
 * When the browser has nothing else to do: what the effects have asked for is drawn too. A page in the background, as all but one
 * of those that run side by side are, may never be called idle, and one that got no processor for so long is called too early: React
 * continues from message to message, so it has had its turn when many of ours have come back.
 */
async function idle(): Promise<void> {
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 300 }));
  const { port1, port2 } = new MessageChannel();
  port1.start();
  for (let turn = 0; turn < 20; turn++)
    await new Promise((next) => {
      port1.addEventListener('message', next, { once: true });
      port2.postMessage(null);
    });
  port1.close();
}

/** Its effect runs after those of what it holds. */
function Watched({ children, onDrawn }: { children: ReactNode; onDrawn: () => void }) {
  useEffect(onDrawn, [onDrawn]);
  return children;
}
