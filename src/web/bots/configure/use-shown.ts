import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** What is shown now, for what an answer does that comes later; null once it was left. */
export function useShown<T>(value: T): RefObject<T | null> {
  const shown = useRef<T | null>(null);
  useEffect(() => {
    shown.current = value;
    return () => {
      shown.current = null;
    };
  }, [value]);
  return shown;
}
