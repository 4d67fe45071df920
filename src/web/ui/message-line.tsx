/** See `MessageLine`. */
export interface MessageLineProps {
  tone: 'error' | 'success';
  text: string | null;
  detail?: string | null; // a second line, shown when it says something else
}

/** A line of text below a form: red for what went wrong, green for what worked. Empty it takes no room. */
export function MessageLine({ tone, text, detail = null }: MessageLineProps) {
  if (text === null) return null;
  return (
    <div className={`fl-message fl-message-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      <p>{text}</p>
      {detail !== null && detail !== text ? <p>{detail}</p> : null}
    </div>
  );
}
