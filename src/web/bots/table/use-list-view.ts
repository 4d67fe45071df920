import { useCallback, useState } from 'react';
import type { ListView } from './list-view.ts';
import { recallView, rememberView } from './list-view.ts';

/** How the bots are listed, and the way to list them otherwise; the browser remembers it. */
export function useListView(): [view: ListView, change: (changes: Partial<ListView>) => void] {
  const [view, setView] = useState(recallView);
  const change = useCallback((changes: Partial<ListView>) => {
    setView((before) => {
      const after = { ...before, ...changes };
      rememberView(after);
      return after;
    });
  }, []);
  return [view, change];
}
