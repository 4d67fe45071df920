import { useEffect, useState } from 'react';

/** How long 'Changes saved!' and 'Strategy updated successfully!' stay, in ms. */
export const savedMs = { account: 2000, strategy: 3000 } as const;

/** A flag that is set after saving and goes by itself after `shownMs`; setting it again lets it stay as long again. */
export function useSaved(shownMs: number): [isSaved: boolean, setSaved: (isSaved: boolean) => void] {
  const [times, setTimes] = useState(0); // 0: not shown
  useEffect(() => {
    if (times === 0) return undefined;
    const timer = setTimeout(() => setTimes(0), shownMs);
    return () => clearTimeout(timer);
  }, [times, shownMs]);
  return [times > 0, (isSaved) => setTimes((before) => (isSaved ? before + 1 : 0))];
}
