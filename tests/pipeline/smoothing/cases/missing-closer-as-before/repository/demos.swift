class List: UIViewController {
    let kind = "cell"
    let demos = ["Plain", "Scroll"]

    func count() -> Int {
        return demos.count
    }
}
