import { useEffect, useState } from 'react';

/** How long 'Strategy updated successfully!' stays, in ms. */
export const bannerMs = 3000;

/** A flag that goes by itself after three seconds; setting it again lets it stay as long again. */
export function useSavedBanner(): [isSaved: boolean, setSaved: (isSaved: boolean) => void] {
  const [times, setTimes] = useState(0); // 0: not shown
  useEffect(() => {
    if (times === 0) return undefined;
    const timer = setTimeout(() => setTimes(0), bannerMs);
    return () => clearTimeout(timer);
  }, [times]);
  return [times > 0, (isSaved) => setTimes((before) => (isSaved ? before + 1 : 0))];
}
