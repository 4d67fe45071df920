import { useCallback, useRef, useState } from 'react';
import type { BotChange } from './use-bots.ts';

/**
 * The change a person has asked for and not confirmed yet. One that is over closes no other, which was asked for meanwhile. When it is closed, the focus returns to the button that asked
 * for it, or to the name of its bot where that button is disabled now.
 */
export function useAskedChange(): { asked: BotChange | null; ask: (change: BotChange) => void; close: (change: BotChange | null) => void } {
  const [asked, setAsked] = useState<BotChange | null>(null);
  const from = useRef({ bot: '', action: '' });
  const current = useRef<BotChange | null>(null);
  const ask = useCallback((change: BotChange) => {
    from.current = { bot: change.bot.id, action: actionOf(change) };
    current.current = change;
    setAsked(change);
  }, []);
  const close = useCallback((of: BotChange | null) => {
    if (of !== current.current) return;
    current.current = null;
    setAsked(null);
    const { bot, action } = from.current;
    requestAnimationFrame(() => {
      const card = document.querySelector<HTMLElement>(`[data-bot="${CSS.escape(bot)}"]`);
      const button = card?.querySelector<HTMLButtonElement>(`[data-action="${action}"]:not(:disabled)`);
      (button ?? card?.querySelector<HTMLElement>('.bot-pick'))?.focus({ preventScroll: true });
    });
  }, []);
  return { asked, ask, close };
}

/** The button of a card that asks for a change. */
function actionOf({ change }: BotChange): 'status' | 'mode' | 'more' {
  if ('mode' in change) return 'mode';
  return change.status === 'stopped' ? 'more' : 'status';
}
