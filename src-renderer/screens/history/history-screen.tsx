export default function HistoryScreen(_: { section?: string }) {
  return <main id="content" className="work" tabIndex={-1} />
}
