/** Long or short: an arrow in the direction's colour and the word. */
export function Direction({ direction }: { direction: 'long' | 'short' }) {
  return (
    <span className={`fl-direction fl-${direction}`}>
      <span aria-hidden>{direction === 'long' ? '▲' : '▼'}</span> {direction}
    </span>
  );
}
