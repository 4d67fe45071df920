import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

/** A ref for an element that scrolls sideways: its `data-more` says on which sides more is out of sight. */
export function useScrollCue<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const mark = () => {
      const hidden = element.scrollWidth - element.clientWidth;
      const sides = [element.scrollLeft > 1 ? 'left' : '', element.scrollLeft < hidden - 1 ? 'right' : ''].filter(Boolean);
      if (sides.length === 0) delete element.dataset['more'];
      else element.dataset['more'] = sides.join(' ');
    };
    mark();
    element.addEventListener('scroll', mark, { passive: true });
    const observer = new ResizeObserver(mark);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => {
      element.removeEventListener('scroll', mark);
      observer.disconnect();
    };
  }, []);
  return ref;
}
