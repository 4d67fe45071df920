import { useState } from 'react';

/** Copies a text to the clipboard, and what there is to say about it. */
export function useCopiedText(): [note: string, copy: (text: string) => void] {
  const [note, setNote] = useState('');
  const copy = (text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => setNote('Copied'),
      () => setNote('The browser does not let it be copied: mark it and copy it yourself.'),
    );
  return [note, copy];
}
