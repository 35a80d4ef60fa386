export default () => <p>Ask /flows.</p>;
