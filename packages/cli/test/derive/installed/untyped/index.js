exports.make = () => ({});
