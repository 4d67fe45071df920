import { useState } from 'react';

/**
 * The first value that is known of something, kept for as long as it is about the same: what is loaded later does not change what somebody is
 * reading. Null while none is known.
 */
export function useFirst<Value>(value: Value | null, about: string | null): Value | null {
  const [held, setHeld] = useState<{ value: Value; about: string | null } | null>(null);
  if (held?.about === about) return held.value;
  if (value !== null) setHeld({ value, about });
  return value;
}
