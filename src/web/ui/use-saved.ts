import { useEffect, useState } from 'react';

/** How long 'Changes saved!' stays, in ms. */
export const savedMs = 2000;

/** A flag that is set after saving and goes by itself; setting it again lets it stay as long again. */
export function useSaved(): [isSaved: boolean, setSaved: (isSaved: boolean) => void] {
  const [times, setTimes] = useState(0); // 0: not shown
  useEffect(() => {
    if (times === 0) return undefined;
    const timer = setTimeout(() => setTimes(0), savedMs);
    return () => clearTimeout(timer);
  }, [times]);
  return [times > 0, (isSaved) => setTimes((before) => (isSaved ? before + 1 : 0))];
}
