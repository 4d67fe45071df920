import { useRef } from 'react';
import { isSamePiece } from '../edit/same-piece.ts';

/** The value of before where the new one says the same: what depends on it is not drawn again. For small, plain data. */
export function useSame<Value>(value: Value): Value {
  const kept = useRef(value);
  if (!isSamePiece(kept.current, value)) kept.current = value;
  return kept.current;
}
